import type { CoreEffect } from '../../../runtime/actor-system/behaviour.ts';
import { type Refusal, runtimeRefusal } from '../../../runtime/errors.ts';
import { refusal } from '../../domain/refusals.ts';
import type { ConnectionCommand, DeviceEvent, DeviceState, DeviceStep } from '../protocol.ts';

/** More than a device is asked in the moment that a move takes. */
const MAX_STASHED = 200;

/** It moved here, or its node restarted: its users see it online, and it will be in a moment. */
export const isComingBack = ({ facts, connection }: DeviceState): boolean =>
  (connection.phase === 'opening' || connection.phase === 'connecting') &&
  connection.failures === 0 &&
  facts.credentials !== null &&
  facts.status === 'connected';

/** It has gone offline for its next owner, and only waits to be ended here. */
export const isLeaving = ({ facts, connection }: DeviceState): boolean =>
  connection.phase === 'down' && facts.wanted && facts.credentials !== null;

/** Keeps what needs an open connection until it is open, or is known not to be. */
export function wait(state: DeviceState, command: ConnectionCommand): DeviceStep {
  if (state.stash.length >= MAX_STASHED) return [state, refuseIt(command, refusal('OVERLOADED'))];
  return [{ ...state, stash: [...state.stash, command] }];
}

/** The next owner will be asked instead. */
export const elsewhere = (command: ConnectionCommand): CoreEffect<DeviceEvent> => refuseIt(command, runtimeRefusal('ELSEWHERE'));

const refuseIt = ({ replyTo }: ConnectionCommand, error: Refusal): CoreEffect<DeviceEvent> => ({ do: 'refuse', to: replyTo, error });
