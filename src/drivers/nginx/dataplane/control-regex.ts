import * as cjson from 'cjson.safe';
import { reply, replyText } from './control-reply';
import { pathOptions, patternProblem } from './regex';

interface Question {
  pattern: string;
  ignoreCase?: boolean;
  subject?: string;
}

/** `error`: it doesn't compile. `matched` and `captures` (whole match first) where a subject was given. */
interface Answer {
  error?: string;
  matched?: boolean;
  captures?: string[];
}

function answer(question: Question): Answer {
  const options = pathOptions(question.ignoreCase);
  const problem = patternProblem(question.pattern, options);
  if (problem !== undefined) {
    return { error: problem };
  }
  if (question.subject === undefined) {
    return { matched: undefined };
  }
  const [captures] = ngx.re.match(question.subject, question.pattern, options);
  if (captures === undefined) {
    return { matched: false };
  }
  const list: string[] = [];
  let group = 0;
  while (captures[group] !== undefined) {
    const value = captures[group];
    list.push(value === false || value === undefined ? '' : value);
    group += 1;
  }
  return { matched: true, captures: list };
}

/** Asks the engine that runs the patterns, anchored as the router does. One answer for each question. */
export function answerRegexes(body: string): void {
  const [questions] = cjson.decode(body);
  if (type(questions) !== 'table') {
    replyText(400, 'The body must be a JSON array of patterns.');
    return;
  }
  const texts: string[] = [];
  for (const question of questions as Question[]) {
    if (type(question) !== 'table' || type(question.pattern) !== 'string') {
      replyText(400, 'Each question must have a pattern.');
      return;
    }
    texts.push(cjson.encode(answer(question)));
  }
  reply(200, '[' + table.concat(texts, ',') + ']');
}
