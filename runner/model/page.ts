/** The arguments by which a call asks for a page. */
export const PAGE_SIZE = 'page_size'
export const CURSOR = 'cursor'

/** A longer text is not a cursor. */
export const MAX_CURSOR_LENGTH = 200
