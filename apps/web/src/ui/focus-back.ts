let last: HTMLElement | null = null;

const OVER = '[role="dialog"],[role="listbox"]';

/** What opened a menu stands for all that happens in it. */
const opener = (menu: Element): HTMLElement | null =>
  document.getElementById(menu.getAttribute("aria-labelledby") ?? "");

/** Remembers what had the focus last on the page itself, not in what lies over it. Called once. */
export const trackFocus = (): void =>
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    const menu = target.closest('[role="menu"]');
    if (menu) last = opener(menu) ?? last;
    else if (!target.closest(OVER)) last = target;
  });

/** Gives the focus back there, unless it was put somewhere meanwhile. */
export const focusBack = (): void => {
  const { activeElement } = document;
  if ((activeElement === null || activeElement === document.body) && last?.isConnected) last.focus();
};

/** Puts the focus into the first field of a window, or on the window itself. */
export const focusInto = (inside: EventTarget | null): void => {
  if (!(inside instanceof HTMLElement)) return;
  const field = inside.querySelector<HTMLInputElement | HTMLTextAreaElement>(
    'input:not([type="checkbox"]), textarea',
  );
  (field ?? inside).focus();
  if (field?.value !== "") field?.select();
};
