import { derivedId } from '../../../runtime/derived-ids.ts';
import { Refusal } from '../../../runtime/errors.ts';
import type { Tenants } from '../../../store/accounts/tenants.ts';
import type { AutoReplies } from '../../../store/auto-reply/auto-replies.ts';
import type { DeviceRow, Devices } from '../../../store/devices/devices.ts';
import { LANES, type Owner } from '../../../store/messaging/messages.ts';
import type { MessageAddress } from '../../domain/message-address.ts';
import { type Plans, planFor } from '../../domain/plans.ts';
import type { InboundCall } from '../../network/port.ts';
import { subjectOf } from '../../network/subject.ts';
import type { ConsentCheck } from '../consent/check.ts';
import type { Sending } from '../messaging/sending.ts';

export interface CallRejectionDeps {
  readonly devices: Pick<Devices, 'find'>;
  readonly tenants: Pick<Tenants, 'find'>;
  readonly turns: Pick<AutoReplies, 'claimOneOf'>;
  readonly consentCheck: ConsentCheck;
  readonly plans: Plans;
  readonly sending: Sending;
  readonly now: () => number;
  fill(tenantId: string, chat: string, text: string): Promise<string>;
  reject(device: DeviceRow, call: Pick<InboundCall, 'callId' | 'from'>): void;
  failed(cause: Refusal, owner: Owner): void;
}

const RINGS_MS = 60_000;
const MAX_PER_HOUR = 5;
const HOUR_MS = 3_600_000;

/** Rejects a call and sends at most one reply. A reply that cannot be sent is skipped. */
export function createCallRejection(deps: CallRejectionDeps) {
  return async (owner: Owner, call: InboundCall, place: MessageAddress): Promise<void> => {
    const device = await deps.devices.find(owner.tenantId, owner.sessionId);
    if (!device?.calls?.reject || deps.now() - call.at > RINGS_MS) return;
    deps.reject(device, { callId: call.callId, from: call.from });
    if (call.group !== undefined) return;
    const body = await deps.fill(owner.tenantId, place.chat, device.calls.reject_text ?? '');
    if (body.trim() !== '') await answer(deps, owner, device, call, { chat: place.chat, body });
  };
}

interface CallText {
  readonly chat: string;
  readonly body: string;
}

async function answer(
  deps: CallRejectionDeps,
  owner: Owner,
  device: DeviceRow,
  { callId, at }: InboundCall,
  { chat, body }: CallText,
): Promise<void> {
  const tenant = await deps.tenants.find(owner.tenantId);
  if (!tenant || tenant.suspended || subjectOf(chat) === null) return;
  const turn = { key: `call:${device._id}:${chat}`, of: device._id, cause: callId, at };
  const id = derivedId(`call ${device._id}:${callId}`, at);
  const order = {
    chat,
    message_type: 'text',
    body,
    parts: {},
    quotes: null,
    lane: LANES.reply,
    priority: 0,
    id,
    isAutomatic: true,
  } as const;
  try {
    // People who opted out never get this automatic reply, even if the tenant allows messages to them.
    if ((await deps.consentCheck.admit(owner.tenantId, chat)).isOptedOut) return;
    if (!(await deps.turns.claimOneOf(turn, MAX_PER_HOUR, HOUR_MS))) return;
    await deps.sending.accept(device, planFor(deps.plans, tenant), order, deps.now());
  } catch (cause) {
    if (!(cause instanceof Refusal)) throw cause;
    deps.failed(cause, owner);
  }
}
