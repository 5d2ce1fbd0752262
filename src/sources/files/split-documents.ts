/** One document of a manifest file, as text. */
export interface DocumentText {
  readonly text: string;
  /** Line of the file (from 1) on which `text` begins. */
  readonly start: number;
  /** Line of the file (from 1) with the first thing that is not blank, a comment or `---`. */
  readonly line: number;
}

const NEWLINE = 10;
const CARRIAGE_RETURN = 13;
const SPACE = 32;
const TAB = 9;
const HASH = 35;
const PERCENT = 37;
const DASH = 45;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

/**
 * Cuts a file at its `---` lines, so that every document has a known first line and a broken one doesn't cost the
 * others. A row of JSON values without separators (as `jq` writes) is cut where an object ends and the next begins.
 * Documents with nothing in them but comments are left out.
 */
export function splitDocuments(file: string): DocumentText[] {
  const text = file.charCodeAt(0) === 0xfe_ff ? file.slice(1) : file;
  const documents: DocumentText[] = [];
  let begin = 0;
  let start = 1;
  let line = 1;
  let content: { readonly line: number; readonly first: number } | undefined;
  let lastOfPrevious = 0;
  let position = 0;
  const cut = (end: number): void => {
    if (content !== undefined) documents.push({ text: text.slice(begin, end), start, line: content.line });
    content = undefined;
    begin = end;
    start = line;
  };
  while (position < text.length) {
    const newline = text.indexOf('\n', position);
    const next = newline === -1 ? text.length : newline + 1;
    const code = text.charCodeAt(position);
    if (code === DASH && isSeparator(text, position)) {
      // Directives (%YAML) belong to the document that follows them.
      if (content?.first !== PERCENT || lastOfPrevious !== PERCENT) cut(position);
      content = undefined;
    } else if (code === OPENING_BRACE && content?.first === OPENING_BRACE && lastOfPrevious === CLOSING_BRACE) {
      cut(position);
    }
    const first = firstOf(text, position, next);
    if (first.code !== 0) {
      content ??= { line, first: first.code };
      lastOfPrevious = first.code === PERCENT ? PERCENT : lastOf(text, first.position, next);
    }
    line += 1;
    position = next;
  }
  cut(text.length);
  return documents;
}

/** `---` alone or followed by a space: `---x` is text. */
function isSeparator(text: string, at: number): boolean {
  if (text.charCodeAt(at + 1) !== DASH || text.charCodeAt(at + 2) !== DASH) return false;
  const after = text.charCodeAt(at + 3);
  return Number.isNaN(after) || isBlank(after);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === CARRIAGE_RETURN || code === TAB;
}

/** The first thing on a line that is content; code 0 if there is none. */
function firstOf(text: string, from: number, end: number): { readonly code: number; readonly position: number } {
  let at = from;
  if (text.charCodeAt(at) === DASH && isSeparator(text, at)) at += 3;
  while (at < end && isBlank(text.charCodeAt(at))) at += 1;
  const code = at < end ? text.charCodeAt(at) : 0;
  return { code: code === HASH ? 0 : code, position: at };
}

function lastOf(text: string, from: number, end: number): number {
  let at = end - 1;
  while (at > from && isBlank(text.charCodeAt(at))) at -= 1;
  return text.charCodeAt(at);
}
