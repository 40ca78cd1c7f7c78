import { Refusal } from '../../../../runtime/errors.ts';
import { networkRefusal } from '../../network-refusal.ts';
import type { BinaryNode } from '../library.ts';
import { only } from '../repairs/stanzas.ts';
import { statusOf } from '../session/closing.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import type { MexName } from './mex-table.ts';
import { isObject, type MexAnswer, readMex } from './read-mex.ts';

export interface MexQuestion {
  readonly name: MexName;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly root: string;
}

const BINARY = {
  en: 'the network answered in a format that only phones can read',
  id: 'jaringan menjawab dalam format yang hanya dapat dibaca ponsel',
};
const UNKNOWN = {
  en: 'the network no longer supports this request; update the gateway, or set the new name of the request in WHATSAPP_MEX',
  id: 'jaringan tidak lagi mendukung permintaan ini; perbarui gateway, atau isi nama barunya di WHATSAPP_MEX',
};

/** Shorter than the 15 s that the caller waits, so that there is time to check the outcome. */
const ANSWERED_WITHIN_MS = 8_000;
const TIMED_OUT = 408;
const BROKE_DOWN = 500;

/** Codes for an unknown id. The network rejects such a query before it changes anything. */
const NO_SUCH_ID: ReadonlySet<number> = new Set([404, 405, 501]);
/** Must not match "An unknown error occurred in the operation", because that operation may have run. */
const SAYS_UNKNOWN =
  /\b(unknown|no such|invalid)\s+(stored\s+|persisted\s+)?(query|document|doc_id|operation)\b|\b(query|document|doc_id|operation)\b[^.]{0,40}\b(not found|unknown|does not exist|is invalid)\b/i;

/** Rejects with the network's refusal, Unreadable, CONFLICT (if all ids are unknown) or DEVICE_TIMEOUT. */
export async function askMex(context: ConnectionContext, question: MexQuestion): Promise<unknown> {
  for (const id of context.mex.ids[question.name]) {
    const answer = await askUnder(context, id, question);
    if (answer !== 'unknown') return dataOf(answer);
    context.mex.unknown(question.name);
  }
  throw new Refusal('CONFLICT', { reason: UNKNOWN });
}

async function askUnder({ socket }: ConnectionContext, id: string, { variables, root }: MexQuestion): Promise<MexAnswer | 'unknown'> {
  const content = [{ tag: 'query', attrs: { query_id: id }, content: Buffer.from(JSON.stringify({ variables })) }];
  try {
    const iq = { tag: 'iq', attrs: { id: socket.generateMessageTag(), type: 'get', to: '@s.whatsapp.net', xmlns: 'w:mex' }, content };
    // Without a response, the library returns undefined, just as it does for success.
    const result: BinaryNode | undefined = await socket.query(iq, ANSWERED_WITHIN_MS);
    if (!result) throw new Refusal('DEVICE_TIMEOUT');
    const told = only(result, 'result');
    const answer = readMex({ format: told?.attrs['format'], content: told?.content }, root);
    return answer.kind === 'refused' && isUnknown(answer) ? 'unknown' : answer;
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const code = wireCodeOf(cause);
    if (code !== null && NO_SUCH_ID.has(code)) return 'unknown';
    if (code !== null) throw networkRefusal(code);
    throw statusOf(cause) === TIMED_OUT ? new Refusal('DEVICE_TIMEOUT') : cause;
  }
}

function wireCodeOf(cause: unknown): number | null {
  const code = isObject(cause) ? cause['data'] : null;
  return typeof code === 'number' ? code : null;
}

const isUnknown = ({ text }: Extract<MexAnswer, { kind: 'refused' }>): boolean => SAYS_UNKNOWN.test(text);

/** The network carried out the query, but its response is unreadable. A change must not be retried then. */
export class Unreadable extends Refusal {}

const ODD = {
  en: 'the gateway could not read the response from the network',
  id: 'gateway tidak dapat membaca respons dari jaringan',
};

function dataOf(answer: MexAnswer): unknown {
  switch (answer.kind) {
    case 'data':
      return answer.data;
    case 'refused':
      // The network failed while it processed the query, so the outcome is unknown.
      throw answer.code >= BROKE_DOWN ? new Refusal('DEVICE_TIMEOUT') : networkRefusal(answer.code);
    case 'binary':
      throw new Unreadable('CONFLICT', { reason: BINARY });
    case 'unreadable':
      throw new Unreadable('CONFLICT', { reason: ODD });
  }
}
