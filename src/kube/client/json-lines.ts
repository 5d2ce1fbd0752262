const NEWLINE = 0x0a;

/**
 * The JSON documents of a stream, one a line, together as they came: those of one chunk in one list. Throws a SyntaxError for a line
 * that is no JSON, also for a last one that was cut off, and a RangeError for one longer than `most` bytes.
 */
export async function* jsonLines(chunks: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<readonly unknown[]> {
  let pending: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    const documents: unknown[] = [];
    let broken: unknown;
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0 && broken === undefined; end = chunk.indexOf(NEWLINE, start)) {
      pending.push(chunk.subarray(start, end));
      try {
        read(pending, documents);
      } catch (error) {
        broken = error;
      }
      pending = [];
      length = 0;
      start = end + 1;
    }
    // What stood before a broken line is whole.
    if (documents.length > 0) yield documents;
    if (broken !== undefined) throw broken;
    if (start < chunk.length) {
      // Copied, so that a small rest doesn't hold on to a large chunk.
      const rest = Buffer.from(chunk.subarray(start));
      pending.push(rest);
      length += rest.length;
    }
    if (length > most) throw new RangeError(`a line of more than ${most} bytes`);
  }
  const documents: unknown[] = [];
  if (length > 0) read(pending, documents);
  if (documents.length > 0) yield documents;
}

function read(parts: readonly Uint8Array[], documents: unknown[]): void {
  const text = Buffer.concat(parts).toString('utf8');
  if (text.trim() !== '') documents.push(JSON.parse(text));
}
