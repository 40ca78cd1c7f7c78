import { unreachable } from '../../../runtime/actor-system/behaviour.ts';
import { Refusal } from '../../../runtime/errors.ts';
import { CLOSED } from '../port.ts';
import type { LinkedDevice } from './devices.ts';
import type { RefusedLogin } from './faults.ts';
import type { Inboxes } from './inboxes.ts';
import type { FaultOrder } from './protocol.ts';
import type { SandboxDeps } from './sandbox-deps.ts';
import type { Switchboard } from './switchboard.ts';

const FAULT_MS = 10_000;
const UNAVAILABLE = 503;

export interface FaultParts {
  readonly sandboxDeps: SandboxDeps;
  readonly switchboard: Switchboard;
  readonly inboxes: Inboxes;
}

export function injectFault({ sandboxDeps, switchboard, inboxes }: FaultParts, phone: string, order: FaultOrder): void {
  const { kind, forMs } = order;
  const devices = sandboxDeps.devices.of(phone);
  if (devices.length === 0) throw new Refusal('NOT_FOUND', { field: 'phone', reason: 'no device is linked to this number' });
  switch (kind) {
    case 'drop':
      sandboxDeps.faults.start(phone, 'down', forMs ?? 0);
      endAll(devices, CLOSED.dropped);
      break;
    case 'logout':
      for (const device of devices) switchboard.unlink(device);
      break;
    case 'ban':
      sandboxDeps.faults.start(phone, 'banned', forMs ?? Number.POSITIVE_INFINITY);
      if (forMs !== 0) endAll(devices, CLOSED.banned);
      break;
    case 'replaced':
      endAll(devices, CLOSED.replaced);
      break;
    case 'outdated':
    case 'temporarily_banned':
    case 'locked':
    case 'bad_agent':
      sandboxDeps.faults.start(phone, kind, forMs ?? FAULT_MS);
      refuseAll(devices, sandboxDeps.faults.refusesLogin(phone));
      break;
    case 'refuse':
    case 'unanswered':
    case 'busy':
    case 'upload_refused':
      sandboxDeps.faults.start(phone, kind, forMs ?? FAULT_MS);
      break;
    case 'ack': {
      const { code = UNAVAILABLE, times = 1, backoffMs } = order;
      sandboxDeps.faults.refuseAcks(phone, { code, times, ...(backoffMs !== undefined && { backoffMs }) });
      break;
    }
    case 'reach_out_limit': {
      sandboxDeps.faults.start(phone, kind, forMs ?? FAULT_MS);
      const restriction = {
        until: sandboxDeps.clock.now() + (forMs ?? FAULT_MS),
        reason: 'new_chats',
        newChatsUsed: null,
        newChatsQuota: null,
      };
      for (const device of devices)
        inboxes.put(
          device,
          forMs === 0 ? { type: 'lifted', token: device.token() } : { type: 'restricted', token: device.token(), ...restriction },
        );
      break;
    }
    case 'slow':
    case 'silent':
      sandboxDeps.faults.start(phone, kind, forMs ?? FAULT_MS);
      sandboxDeps.faults.whenOver(phone, kind, () => resumeAll(sandboxDeps, switchboard, phone));
      break;
    default:
      unreachable(kind);
  }
}

function resumeAll(sandboxDeps: SandboxDeps, switchboard: Switchboard, phone: string): void {
  for (const device of sandboxDeps.devices.of(phone)) switchboard.resume(device);
}

function refuseAll(devices: readonly LinkedDevice[], refused: RefusedLogin | null): void {
  if (refused) for (const device of devices) device.login?.end(refused.code, refused.until);
}

function endAll(devices: readonly LinkedDevice[], code: number): void {
  for (const device of devices) device.login?.end(code);
}
