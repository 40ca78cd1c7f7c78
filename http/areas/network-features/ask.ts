import type { DeviceCommand } from '../../../actors/device/protocol.ts';
import { refusal } from '../../../actors/domain/refusals.ts';
import {
  type InputOf,
  LOOK_FIRST,
  type NetworkQuestion,
  QUESTIONS,
  type QuestionName,
  type ToldCaller,
} from '../../../actors/network/questions.ts';
import type { ActorRef } from '../../../runtime/actor-system/actor.ts';
import { codeOf } from '../../../runtime/errors.ts';
import type { DeviceRow } from '../../../store/devices/devices.ts';

export interface AskingServices {
  device(row: Pick<DeviceRow, '_id' | 'tenant_id'>): ActorRef<DeviceCommand>;
}

export const NETWORK_REFUSALS = [
  'NOT_CONNECTED',
  'DEVICE_TIMEOUT',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'RATE_LIMITED',
  'OVERLOADED',
  'UNAVAILABLE',
] as const;

/** The time that a query may wait in the queue, plus the network's own timeout (15 s). */
const PATIENCE_MS = 28_000;

/** Fails with one of NETWORK_REFUSALS. After DEVICE_TIMEOUT, a change may still have taken effect. */
export async function askNetwork<N extends QuestionName>(
  services: AskingServices,
  device: Pick<DeviceRow, '_id' | 'tenant_id'>,
  name: N,
  input: InputOf<N>,
): Promise<ToldCaller<N>> {
  const question: NetworkQuestion = { name, input };
  try {
    return await services.device(device).ask({ type: 'question', question }, PATIENCE_MS);
  } catch (cause) {
    const isLost = QUESTIONS[name] === 'change' && (codeOf(cause) === 'TIMED_OUT' || codeOf(cause) === 'UNAVAILABLE');
    throw isLost ? refusal('DEVICE_TIMEOUT', { reason: LOOK_FIRST }) : cause;
  }
}
