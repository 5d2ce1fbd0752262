const LONGEST = 80;

/** A user's text as findings quote it: on one line, control characters escaped, cut where it is long. */
export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}
