import { X } from "lucide-react";
import { useStore } from "zustand";
import { IconButton, LinkButton } from "./Button.tsx";
import { classNames } from "./class-names.ts";
import styles from "./Toasts.module.css";
import { dismissToast, toastStore } from "./toast-store.ts";

/** Where short messages appear. Mount once. */
export const Toasts = () => {
  const toasts = useStore(toastStore, (state) => state.toasts);
  return (
    <div className={styles.region} role="region" aria-label="Messages" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={classNames(styles.toast, styles[toast.level])}>
          <span className={styles.text}>{toast.text}</span>
          {toast.action && (
            <LinkButton
              onClick={() => {
                toast.action?.run();
                dismissToast(toast.id);
              }}
            >
              {toast.action.title}
            </LinkButton>
          )}
          <IconButton label="Dismiss" icon={X} small onClick={() => dismissToast(toast.id)} />
        </div>
      ))}
    </div>
  );
};
