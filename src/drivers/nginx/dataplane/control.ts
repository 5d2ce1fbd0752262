import { apply, setLameDuck } from './control-apply';
import { sendEndpoints } from './control-endpoints';
import { sendRecords } from './control-records';
import { answerRegexes } from './control-regex';
import { reply, replyText } from './control-reply';
import { stateText } from './control-state';
import { isAuthorized } from './control-token';
import { queryValue } from './query';

function wholeNumber(text: string | undefined): number | undefined {
  const [digits] = string.match(text ?? '', '^%d+$');
  return digits === undefined ? undefined : tonumber(digits);
}

function body(): string {
  ngx.req.read_body();
  return ngx.req.get_body_data() ?? '';
}

function applyCall(): void {
  const base = wholeNumber(queryValue('base'));
  const generation = wholeNumber(queryValue('generation'));
  const conf = queryValue('conf');
  const epoch = queryValue('epoch');
  const text = body();
  if (base === undefined || generation === undefined || conf === undefined || epoch === undefined || epoch === '') {
    replyText(400, 'An apply call needs conf, epoch, base and generation.');
    return;
  }
  if (generation <= base) {
    replyText(400, 'The generation must be above the base.');
    return;
  }
  apply({ conf, epoch, base, generation }, text);
}

/** The control socket: what the supervisor tells nginx, and asks it. */
export function answerControl(): void {
  if (!isAuthorized(ngx.var.http_authorization)) {
    replyText(401, 'The control token is missing or wrong.');
    return;
  }
  const call = ngx.req.get_method() + ' ' + (ngx.var.uri ?? '');
  if (call === 'GET /v1/state') {
    reply(200, stateText());
  } else if (call === 'GET /v1/records') {
    sendRecords();
  } else if (call === 'POST /v1/apply') {
    applyCall();
  } else if (call === 'POST /v1/lame-duck') {
    setLameDuck(queryValue('on') === '1');
  } else if (call === 'POST /v1/regex') {
    answerRegexes(body());
  } else if (call === 'GET /v1/endpoints') {
    sendEndpoints(queryValue('id') ?? '');
  } else {
    replyText(404, 'There is no such call.');
  }
}
