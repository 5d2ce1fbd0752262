import pc from 'picocolors';

/** Where a verb writes: data on `out`, words on `err`. */
export interface Terminal {
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Colours for this stream: none unless it is a terminal; NO_COLOR and FORCE_COLOR decide before that. */
export function colours(
  stream: NodeJS.WriteStream,
  environment: Terminal['environment'],
): ReturnType<typeof pc.createColors> {
  if (environment.NO_COLOR) return pc.createColors(false);
  if (environment.FORCE_COLOR && environment.FORCE_COLOR !== '0') return pc.createColors(true);
  return pc.createColors(stream.isTTY === true && environment.TERM !== 'dumb');
}

/** Writes and waits until the stream took it, so that a pipe gets everything before the process ends. */
export function write(stream: NodeJS.WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
