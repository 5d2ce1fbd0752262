/** What to do with a template that was not rendered. */
export const RENDER_FIRST =
  'This looks like a Helm template: render it first (`helm template …`) and give weir what comes out.';

/** An action of Go's templates, which opens with a field, a variable, a keyword or one of Helm's functions. */
const ACTION =
  /\{\{-?\s*(?:[.$]\w|(?:if|else|end|range|with|define|template|block|include|tpl|toYaml|printf|default|quote|required|lookup)\b|\/\*)/;

export function looksLikeTemplate(text: string): boolean {
  return ACTION.test(text);
}
