/** The label that a bookmark is. It marks a place and names nothing. */
export const BOOKMARK = "bookmark";
