/** A request as it is written on the connection; each character is one byte (latin1). */
export interface RequestText {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  /** In order, Host among them; names may be repeated. */
  readonly headers: readonly (readonly [name: string, value: string])[];
}

export function requestBytes({ method, target, version, headers }: RequestText): Buffer {
  const lines = [`${method} ${target} HTTP/${version}`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

/** Values of a header, without the space around them, in the order in which they were sent. */
export function headerValues({ headers }: RequestText, name: string): readonly string[] {
  return headers.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value.trim());
}
