import { COLLECTION_STYLE, type Event, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml';
import { fieldPath } from './field-path.ts';

/** A place in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/**
 * Where the fields of one YAML or JSON document stand in its text. The text is parsed once, and what a collection holds
 * is found once, so that each of 10,000 fields costs in proportion to the length of its path.
 *
 * Works on the parser's events, so that no tree of the document is built.
 */
export class FieldPositions {
  readonly #text: string;
  /** Empty where the text can't be parsed. */
  readonly #events: readonly Event[];
  /** The root of each value of the document. */
  readonly #roots: number[] = [];
  /** Index of the event after a node that starts a collection and all that is in it. */
  readonly #after = new Map<number, number>();
  /** Alias → the node it stands for. */
  readonly #targets = new Map<number, number>();
  readonly #items = new Map<number, readonly number[]>();
  readonly #entries = new Map<number, ReadonlyMap<string, Entry>>();
  /** Offset at which each line begins. */
  #lines: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.#events = eventsOf(text);
    this.#readStructure();
  }

  /**
   * A field's value if that is on the line of its key, else the key. The nearest parent that is there if the field
   * isn't. `value` is the number of the document's value. Undefined if the text can't be parsed.
   */
  find(field: string, value = 0): Position | undefined {
    let node = this.#roots[value];
    if (node === undefined) return undefined;
    let best = startOf(this.#events[node]);
    for (const step of fieldPath(field)) {
      node = this.#targets.get(node) ?? node;
      const found: Entry | undefined = typeof step === 'number' ? this.#itemOf(node, step) : this.#entryOf(node, step);
      if (found === undefined) break;
      node = found.value;
      best = found.at ?? best;
    }
    return best === undefined ? undefined : this.#positionAt(best);
  }

  #readStructure(): void {
    const open: number[] = [];
    const anchors = new Map<string, number>();
    this.#events.forEach((event, index) => {
      if (this.#events[index - 1]?.type === EVENT_ID.DOCUMENT) this.#roots.push(index);
      if (event.type === EVENT_ID.POP) {
        const start = open.pop();
        if (start !== undefined) this.#after.set(start, index + 1);
      } else if (event.type === EVENT_ID.ALIAS) {
        const target = anchors.get(this.#text.slice(event.anchorStart, event.anchorEnd));
        if (target !== undefined) this.#targets.set(index, target);
      } else {
        if (event.type !== EVENT_ID.SCALAR) open.push(index);
        if ('anchorStart' in event && event.anchorStart >= 0)
          anchors.set(this.#text.slice(event.anchorStart, event.anchorEnd), index);
      }
    });
  }

  #itemOf(sequence: number, index: number): Entry | undefined {
    if (this.#events[sequence]?.type !== EVENT_ID.SEQUENCE) return undefined;
    let items = this.#items.get(sequence);
    if (items === undefined) this.#items.set(sequence, (items = this.#nodesIn(sequence)));
    const value = items[index];
    return value === undefined ? undefined : { value, at: startOf(this.#events[value]) };
  }

  #entryOf(mapping: number, name: string): Entry | undefined {
    if (this.#events[mapping]?.type !== EVENT_ID.MAPPING) return undefined;
    let entries = this.#entries.get(mapping);
    if (entries === undefined) this.#entries.set(mapping, (entries = this.#readEntries(mapping)));
    return entries.get(name);
  }

  #readEntries(mapping: number): ReadonlyMap<string, Entry> {
    const entries = new Map<string, Entry>();
    const nodes = this.#nodesIn(mapping);
    for (let index = 0; index + 1 < nodes.length; index += 2) {
      const key = this.#events[nodes[index] ?? -1];
      const value = nodes[index + 1] ?? -1;
      if (key?.type !== EVENT_ID.SCALAR || key.valueStart < 0) continue;
      const name = getScalarValue(this.#text, key);
      if (!entries.has(name)) entries.set(name, { value, at: inlineStart(this.#events[value]) ?? startOf(key) });
    }
    return entries;
  }

  /** The nodes right below a collection. */
  #nodesIn(collection: number): number[] {
    const nodes: number[] = [];
    for (let node = collection + 1; node < this.#events.length; node = this.#after.get(node) ?? node + 1) {
      if (this.#events[node]?.type === EVENT_ID.POP) break;
      nodes.push(node);
    }
    return nodes;
  }

  #positionAt(offset: number): Position {
    this.#lines ??= linesOf(this.#text);
    let low = 0;
    let high = this.#lines.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#lines[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#lines[low] ?? 0) + 1 };
  }
}

interface Entry {
  readonly value: number;
  readonly at: number | undefined;
}

function eventsOf(text: string): readonly Event[] {
  try {
    return parseEvents(text, {});
  } catch {
    return [];
  }
}

function linesOf(text: string): number[] {
  const lines = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
  return lines;
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
