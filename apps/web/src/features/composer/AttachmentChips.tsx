import { FileText, X } from "lucide-react";
import { IconButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { bytes } from "../../view/format.ts";
import type { Attachment } from "./attachments.ts";
import styles from "./Composer.module.css";

/** What goes with the message beside its text. */
export const AttachmentChips = ({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[];
  onRemove: (id: number) => void;
}) =>
  attachments.length === 0 ? null : (
    <ul className={styles.chips} aria-label="Attached">
      {attachments.map((each) => (
        <li key={each.id} className={styles.chip}>
          {each.kind === "image" ? (
            <img
              className={styles.thumb}
              src={`data:${each.image.mimeType};base64,${each.image.data}`}
              alt={each.name}
            />
          ) : (
            <>
              <Icon of={FileText} size={12} />
              {each.name}, {bytes(each.text.length)}
            </>
          )}
          <IconButton label={`Remove ${each.name}`} icon={X} small onClick={() => onRemove(each.id)} />
        </li>
      ))}
    </ul>
  );
