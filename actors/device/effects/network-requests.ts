import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import type { Clock } from '../../../runtime/clock.ts';
import { codeOf, Refusal } from '../../../runtime/errors.ts';
import { type Safe, safeTexts } from '../../../runtime/safe-text.ts';
import { refusal } from '../../domain/refusals.ts';
import { passkeysOf } from '../../network/passkey.ts';
import type { Connection } from '../../network/port.ts';
import { type AnswerOf, LOOK_FIRST, type NetworkQuestion, noSuchQuestion, QUESTIONS, type QuestionName } from '../../network/questions.ts';
import type { DeviceEffect, DeviceEvent } from '../protocol.ts';

export type NetworkRequest = Extract<DeviceEffect, { readonly do: 'askCode' | 'askLookUp' | 'answerPasskey' | 'confirmPasskey' }>;

export function requestFromNetwork(effect: NetworkRequest, connection: Connection | null, receive: (event: DeviceEvent) => void): void {
  const to = effect.do === 'askCode' ? effect.want.replyTo : effect.replyTo;
  const answer = connection ? request(effect, connection) : Promise.reject(refusal('NOT_CONNECTED'));
  answer.then(
    (value) => {
      if (effect.do === 'answerPasskey') receive({ type: 'passkeyTaken', to: effect.replyTo, ceremony: effect.ceremony });
      else receive({ type: 'answered', to, value: safeTexts(value) });
    },
    (error: Error) => receive({ type: 'refused', to, error }),
  );
}

async function request(effect: NetworkRequest, connection: Connection): Promise<unknown> {
  switch (effect.do) {
    case 'askCode':
      return connection.pairingCode(effect.want.digits);
    case 'askLookUp':
      return connection.lookUp(effect.digits);
    case 'answerPasskey':
      await passkeysOf(connection).answerPasskey(effect.credential);
      return null;
    case 'confirmPasskey':
      await passkeysOf(connection).confirmPasskey();
      return null;
    default:
      return unreachable(effect);
  }
}

const ANSWERED_WITHIN_MS = 15_000;

interface Asking {
  readonly connection: Connection | null;
  readonly clock: Clock;
  receive(event: DeviceEvent): void;
  keep(question: NetworkQuestion, answer: Safe<AnswerOf<QuestionName>>): Promise<unknown>;
  notKept(cause: unknown): void;
}

/** If the connection closes first, a change fails with DEVICE_TIMEOUT, because it may have taken effect. */
export function askNetwork({ question, replyTo: to }: Extract<DeviceEffect, { do: 'askNetwork' }>, asking: Asking): void {
  const { connection, clock, receive } = asking;
  if (!connection) return receive({ type: 'refused', to, error: refusal('NOT_CONNECTED') });
  const isChange = QUESTIONS[question.name] === 'change';
  const timeout = refusal('DEVICE_TIMEOUT', isChange ? { reason: LOOK_FIRST } : {});
  const { promise: overdue, reject } = Promise.withResolvers<never>();
  const cancel = clock.after(ANSWERED_WITHIN_MS, () => reject(timeout));
  const answer = connection.ask?.(question.name, question.input) ?? Promise.reject(noSuchQuestion());
  Promise.race([answer, overdue])
    .finally(cancel)
    .then((value) => kept(question, safeTexts(value), asking))
    .then(
      (value) => receive({ type: 'answered', to, value }),
      (error: Error) => receive({ type: 'refused', to, error: isUnanswered(error, isChange) ? timeout : error }),
    );
}

/** If a list cannot be stored, the request fails, because callers read lists from the store. */
async function kept(question: NetworkQuestion, value: Safe<AnswerOf<QuestionName>>, { keep, notKept }: Asking): Promise<unknown> {
  try {
    return await keep(question, value);
  } catch (cause) {
    notKept(cause);
    if (QUESTIONS[question.name] === 'list') throw refusal('UNAVAILABLE');
    return value;
  }
}

/** Library errors with an `output` mean that the network did not respond. */
const isUnanswered = (error: Error, isChange: boolean): boolean =>
  'output' in error ||
  (codeOf(error) === 'DEVICE_TIMEOUT' && !(error instanceof Refusal && 'reason' in error.details)) ||
  (isChange && codeOf(error) === 'NOT_CONNECTED');
