import { showToast } from "../ui/toast-store.ts";

/** Puts a text on the clipboard and says so. */
export const copyText = async (text: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    showToast("Copied.");
  } catch {
    showToast("The browser does not let this page use the clipboard.", "warn");
  }
};
