import { type ReactNode, useLayoutEffect, useRef, useState } from "react";

interface ScrollBoxProps {
  /** Said when it takes the focus. */
  label: string;
  className?: string | undefined;
  mono?: boolean;
  children: ReactNode;
}

/** A box that scrolls sideways; it can take the focus (to be scrolled by keys) only while there is something to scroll. */
export const ScrollBox = ({ label, className, mono, children }: ScrollBoxProps) => {
  const box = useRef<HTMLDivElement>(null);
  const [scrolls, setScrolls] = useState(false);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const look = (): void => setScrolls(element.scrollWidth > element.clientWidth + 1);
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={box}
      className={className}
      {...(mono ? { "data-mono": "" } : {})}
      {...(scrolls ? { tabIndex: 0, role: "group", "aria-label": label } : {})}
    >
      {children}
    </div>
  );
};
