import type { CoreEffect } from '../../runtime/behaviour.ts';
import { type Refusal, runtimeRefusal } from '../../runtime/errors.ts';
import { refusal } from '../refusals.ts';
import type { DeviceEvent, DeviceState, DeviceStep, LineCommand } from './protocol.ts';

/** More than a device is asked in the moment that a move takes. */
const MOST_EARLY = 200;

/** It moved here, or its node restarted: its users see it online, and it will be in a moment. */
export const isComingBack = ({ facts, line }: DeviceState): boolean =>
  (line.phase === 'dialling' || line.phase === 'connecting') &&
  line.failures === 0 &&
  facts.credentials !== null &&
  facts.status === 'connected';

/** It has gone offline for its next owner, and only waits to be ended here. */
export const isLeaving = ({ facts, line }: DeviceState): boolean => line.phase === 'down' && facts.wanted && facts.credentials !== null;

/** Keeps what needs an open line until it is open, or is known not to be. */
export function wait(state: DeviceState, command: LineCommand): DeviceStep {
  if (state.early.length >= MOST_EARLY) return [state, refuseIt(command, refusal('OVERLOADED'))];
  return [{ ...state, early: [...state.early, command] }];
}

/** The next owner will be asked instead. */
export const elsewhere = (command: LineCommand): CoreEffect<DeviceEvent> => refuseIt(command, runtimeRefusal('ELSEWHERE'));

const refuseIt = ({ replyTo }: LineCommand, error: Refusal): CoreEffect<DeviceEvent> => ({ do: 'refuse', to: replyTo, error });
