/** The whole of a body as text. Throws a RangeError when it is longer than `most` bytes. */
export async function boundedBody(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > most) throw new RangeError(`its body is longer than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}
