import { COLLECTION_STYLE, type Event, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { fieldPath } from './field-path.ts';

/** A place in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Where a field stands in the text of one YAML or JSON document: its value if that is on the line of its key, else the
 * key. The nearest parent that is there if the field isn't. Undefined if the text can't be parsed.
 *
 * Works on the parser's events, so that a field in a List of 10,000 objects is found without building a tree of it.
 */
export function locateField(text: string, field: string, value = 0): Position | undefined {
  let events: Event[];
  try {
    events = parseEvents(text, {});
  } catch {
    return undefined;
  }
  const offset = offsetOf(text, events, rootOf(events, value), fieldPath(field));
  return offset === undefined ? undefined : positionAt(text, offset);
}

function rootOf(events: readonly Event[], value: number): number {
  let seen = -1;
  return events.findIndex((_event, index) => {
    if (events[index - 1]?.type === EVENT_ID.DOCUMENT) seen += 1;
    return seen === value;
  });
}

function offsetOf(text: string, events: readonly Event[], root: number, steps: readonly (string | number)[]) {
  let best = startOf(events[root]);
  let node = root;
  for (const step of steps) {
    node = targetOf(text, events, node);
    const found = typeof step === 'number' ? itemOf(events, node, step) : entryOf(text, events, node, step);
    if (found === undefined) break;
    node = found.value;
    best = found.at ?? best;
  }
  return best;
}

interface Found {
  readonly value: number;
  readonly at: number | undefined;
}

function itemOf(events: readonly Event[], sequence: number, index: number): Found | undefined {
  if (events[sequence]?.type !== EVENT_ID.SEQUENCE) return undefined;
  let item = sequence + 1;
  for (let count = 0; events[item] !== undefined && events[item]?.type !== EVENT_ID.POP; count += 1) {
    if (count === index) return { value: item, at: startOf(events[item]) };
    item = after(events, item);
  }
  return undefined;
}

function entryOf(text: string, events: readonly Event[], mapping: number, name: string): Found | undefined {
  if (events[mapping]?.type !== EVENT_ID.MAPPING) return undefined;
  let key = mapping + 1;
  while (events[key] !== undefined && events[key]?.type !== EVENT_ID.POP) {
    const value = after(events, key);
    const event = events[key];
    if (event?.type === EVENT_ID.SCALAR && event.valueStart >= 0 && getScalarValue(text, event) === name) {
      return { value, at: inlineStart(events[value]) ?? startOf(event) };
    }
    key = after(events, value);
  }
  return undefined;
}

/** The node an alias stands for. */
function targetOf(text: string, events: readonly Event[], node: number): number {
  const alias = events[node];
  if (alias?.type !== EVENT_ID.ALIAS) return node;
  const name = text.slice(alias.anchorStart, alias.anchorEnd);
  for (let at = node - 1; at >= 0; at -= 1) {
    const event = events[at];
    if (event === undefined || event.type === EVENT_ID.ALIAS || !('anchorStart' in event)) continue;
    if (event.anchorStart >= 0 && text.slice(event.anchorStart, event.anchorEnd) === name) return at;
  }
  return node;
}

/** Index of the event after a node and all that is in it. */
function after(events: readonly Event[], node: number): number {
  let depth = 0;
  let at = node;
  do {
    const type = events[at]?.type;
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth += 1;
    else if (type === EVENT_ID.POP) depth -= 1;
    at += 1;
  } while (depth > 0 && at < events.length);
  return at;
}

function inlineStart(event: Event | undefined): number | undefined {
  if (event?.type === EVENT_ID.SCALAR) {
    const block = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK;
    return block ? undefined : startOf(event);
  }
  if (event?.type === EVENT_ID.ALIAS) return startOf(event);
  const collection = event?.type === EVENT_ID.SEQUENCE || event?.type === EVENT_ID.MAPPING;
  return collection && event.style === COLLECTION_STYLE.FLOW ? startOf(event) : undefined;
}

function startOf(event: Event | undefined): number | undefined {
  switch (event?.type) {
    case EVENT_ID.SCALAR: {
      if (event.valueStart < 0) return undefined;
      const quoted = event.style === SCALAR_STYLE.SINGLE_QUOTED || event.style === SCALAR_STYLE.DOUBLE_QUOTED;
      return event.valueStart - (quoted ? 1 : 0);
    }
    case EVENT_ID.ALIAS:
      return event.anchorStart - 1;
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    default:
      return undefined;
  }
}

function positionAt(text: string, offset: number): Position {
  let line = 1;
  let begin = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) {
    line += 1;
    begin = at + 1;
  }
  return { line, column: offset - begin + 1 };
}
