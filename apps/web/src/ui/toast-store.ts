import { createStore } from "zustand/vanilla";

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly level: "info" | "warn" | "error";
  readonly action?: { readonly title: string; readonly run: () => void };
}

interface ToastState {
  readonly toasts: readonly Toast[];
}

/** Short messages at the lower edge; the last three are shown. */
export const toastStore = createStore<ToastState>(() => ({ toasts: [] }));

let lastId = 0;
const SHOWN_MS = { info: 5_000, warn: 8_000, error: 12_000 };

export const dismissToast = (id: number): void =>
  toastStore.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

/** Shows a message for some seconds; errors stay longest. */
export const showToast = (text: string, level: Toast["level"] = "info", action?: Toast["action"]): void => {
  lastId += 1;
  const toast: Toast = { id: lastId, text, level, ...(action ? { action } : {}) };
  toastStore.setState(({ toasts }) => ({ toasts: [...toasts, toast].slice(-3) }));
  setTimeout(() => dismissToast(toast.id), SHOWN_MS[level]);
};
