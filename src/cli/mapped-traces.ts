import { SourceMap, type SourceMapPayload } from 'node:module';

/**
 * Has stack traces name the source files instead of the bundle they came from. `bundle`: the bundle's name in a trace.
 * `readMap` is called once, when the first trace is asked for. Source maps of Node's own would take memory from the start.
 */
export function mapTraces(bundle: string, readMap: () => SourceMapPayload): void {
  let map: SourceMap | undefined;
  Error.prepareStackTrace = (error, sites) => {
    const lines = sites.map((site) => {
      const text = site.toString();
      const [line, column] = [site.getLineNumber(), site.getColumnNumber()];
      if (site.getFileName() !== bundle || line === null || column === null) return `\n    at ${text}`;
      map ??= new SourceMap(readMap());
      // Columns of a minified line mean nothing in the source: the statement's beginning is named.
      const entry = map.findEntry(line - 1, column - 1);
      const known = 'originalSource' in entry;
      const place = known ? `${entry.originalSource}:${entry.originalLine + 1}:${entry.originalColumn + 1}` : undefined;
      return `\n    at ${place === undefined ? text : text.replace(`${bundle}:${line}:${column}`, place)}`;
    });
    return `${Error.prototype.toString.call(error)}${lines.join('')}`;
  };
}
