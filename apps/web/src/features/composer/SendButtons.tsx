import { ArrowUp, ChevronDown, CornerDownLeft, CornerDownRight, ListPlus, Square } from "lucide-react";
import { Button, SplitButton } from "../../ui/Button.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Kbd, MODIFIER } from "../../ui/Kbd.tsx";
import { Menu, MenuItem } from "../../ui/Menu.tsx";
import styles from "./Composer.module.css";

interface SendButtonsProps {
  running: boolean;
  stopping: boolean;
  empty: boolean;
  narrow: boolean;
  onSend: () => void;
  onSteer: () => void;
  onStop: () => void;
}

/** Send while idle; Queue with its other ways, and Stop, while a run works. Stop never moves. */
export const SendButtons = (props: SendButtonsProps) => {
  const { running, stopping, empty, narrow, onSend, onSteer, onStop } = props;
  if (!running)
    return (
      <Button look="primary" icon={ArrowUp} onClick={onSend} disabled={empty}>
        Send
      </Button>
    );
  return (
    <>
      {!narrow && (
        <span className={styles.hint}>
          <Kbd>{MODIFIER}</Kbd>
          <Kbd>
            <Icon of={CornerDownLeft} size={10} strokeWidth={2} />
          </Kbd>
          steer now
        </span>
      )}
      <Button icon={Square} onClick={onStop} disabled={stopping}>
        Stop
      </Button>
      <SplitButton>
        <Button look="primary" icon={ListPlus} onClick={onSend} disabled={empty}>
          Queue
        </Button>
        <Menu
          label="More ways to send"
          align="end"
          side="top"
          trigger={
            <Button look="primary" aria-label="More ways to send">
              <Icon of={ChevronDown} size={14} />
            </Button>
          }
        >
          <MenuItem
            icon={ListPlus}
            meta="Enter"
            note="after this run has ended"
            disabled={empty}
            onSelect={onSend}
          >
            Queue
          </MenuItem>
          <MenuItem
            icon={CornerDownRight}
            meta={MODIFIER === "Ctrl" ? "Ctrl Enter" : "Cmd Enter"}
            note="into the run, after the calls that are under way"
            disabled={empty}
            onSelect={onSteer}
          >
            Steer now
          </MenuItem>
        </Menu>
      </SplitButton>
    </>
  );
};
