import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import styles from "./Button.module.css";
import { classNames } from "./class-names.ts";
import { type Glyph, Icon } from "./icons.tsx";
import { Tooltip } from "./Tooltip.tsx";

type ButtonLook = "plain" | "primary" | "quiet" | "clay";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: ButtonLook;
  /** 28 px, or 32 px in dialogs and on the first page. */
  size?: "normal" | "large";
  icon?: Glyph;
  ref?: Ref<HTMLButtonElement>;
}

export const Button = ({
  look = "plain",
  size = "normal",
  icon,
  className,
  children,
  ...rest
}: ButtonProps) => (
  <button
    type="button"
    {...rest}
    className={classNames(styles.button, styles[look], size === "large" && styles.large, className)}
  >
    {icon && <Icon of={icon} size={14} />}
    {children}
  </button>
);

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** The accessible name, and the tooltip. */
  label: string;
  icon: Glyph;
  iconSize?: number;
  /** Shown in the tooltip beside the name. */
  keys?: string;
  small?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

/** A button that shows only an icon; its name stands in a tooltip. */
export const IconButton = ({
  label,
  icon,
  iconSize = 14,
  keys,
  small,
  className,
  ...rest
}: IconButtonProps) => (
  <Tooltip label={label} {...(keys === undefined ? {} : { keys })}>
    <button
      type="button"
      aria-label={label}
      {...rest}
      className={classNames(styles.iconButton, small && styles.small, className)}
    >
      <Icon of={icon} size={iconSize} />
    </button>
  </Tooltip>
);

/** Two buttons that look like one: the usual way, and a menu of the others. */
export const SplitButton = ({ children }: { children: ReactNode }) => (
  <span className={styles.split}>{children}</span>
);

export interface LinkButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  clay?: boolean;
}

/** Acts like a button, reads like a link inside a line of text. */
export const LinkButton = ({ clay, className, ...rest }: LinkButtonProps) => (
  <button type="button" {...rest} className={classNames(styles.link, clay && styles.clayLink, className)} />
);
