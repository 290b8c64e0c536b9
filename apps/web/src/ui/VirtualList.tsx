import type { ReactElement, Ref, RefObject } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";

export type ListHandle = VirtualizerHandle;

interface VirtualListProps<Item> {
  items: readonly Item[];
  children: (item: Item, index: number) => ReactElement;
  scroller: RefObject<HTMLElement | null>;
  handle: Ref<ListHandle>;
  /** Items were added at the start: what is seen stays where it is. */
  shift?: boolean;
  /** Height of every item, px, when all have the same. */
  itemSize?: number;
  /** Items that stay mounted out of sight, e.g. the one with the focus. */
  keep?: readonly number[];
  onScroll?: (offset: number) => void;
  onResize?: () => void;
}

/** Draws only the items that can be seen, of any height. The one place that knows how. */
export const VirtualList = <Item,>(props: VirtualListProps<Item>) => {
  const { items, children, scroller, handle, shift, itemSize, keep, onScroll, onResize } = props;
  return (
    <Virtualizer
      ref={handle}
      data={items as Item[]}
      scrollRef={scroller}
      bufferSize={400}
      {...(shift === undefined ? {} : { shift })}
      {...(itemSize === undefined ? {} : { itemSize })}
      {...(keep === undefined ? {} : { keepMounted: keep })}
      {...(onScroll ? { onScroll } : {})}
      {...(onResize ? { onResize } : {})}
    >
      {children}
    </Virtualizer>
  );
};
