import { unreachable } from '../../../runtime/behaviour.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { CLOSED } from '../port.ts';
import type { LinkedDevice } from './devices.ts';
import type { Ground } from './ground.ts';
import type { FaultOrder } from './protocol.ts';
import type { Switchboard } from './switchboard.ts';

const FAULT_MS = 10_000;

/** Makes trouble for every device linked to a number. Refuses NOT_FOUND when none is. */
export function makeTrouble(ground: Ground, switchboard: Switchboard, phone: string, { kind, forMs }: FaultOrder): void {
  const devices = ground.devices.of(phone);
  if (devices.length === 0) throw new Refusal('NOT_FOUND', { field: 'phone', reason: 'no device is linked to this number' });
  switch (kind) {
    case 'drop':
      ground.faults.start(phone, 'down', forMs ?? 0);
      endAll(devices, CLOSED.dropped);
      break;
    case 'logout':
      for (const device of devices) switchboard.unlink(device);
      break;
    case 'ban':
      ground.faults.start(phone, 'banned', forMs ?? Number.POSITIVE_INFINITY);
      if (forMs !== 0) endAll(devices, CLOSED.banned);
      break;
    case 'replaced':
      endAll(devices, CLOSED.replaced);
      break;
    case 'refuse':
      ground.faults.start(phone, kind, forMs ?? FAULT_MS);
      break;
    case 'slow':
    case 'silent':
      ground.faults.start(phone, kind, forMs ?? FAULT_MS);
      ground.faults.whenOver(phone, kind, () => resumeAll(ground, switchboard, phone));
      break;
    default:
      unreachable(kind);
  }
}

function resumeAll(ground: Ground, switchboard: Switchboard, phone: string): void {
  for (const device of ground.devices.of(phone)) switchboard.resume(device);
}

function endAll(devices: readonly LinkedDevice[], code: number): void {
  for (const device of devices) device.login?.end(code);
}
