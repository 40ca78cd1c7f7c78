import type { Clock } from '../../runtime/clock.ts';
import type { DevicePatch, Devices, Happening, SessionStatus } from '../../store/devices.ts';
import type { Owner } from '../../store/messages.ts';

export interface DiaryPorts {
  readonly devices: Pick<Devices, 'untold' | 'told'>;
  readonly clock: Clock;
  /** Records what happened to a device, again after a crash. */
  tell(owner: Owner, happenings: readonly Happening[]): Promise<void>;
}

export interface Noted {
  readonly patch: DevicePatch;
  readonly happening: Happening | null;
}

/** A device that has been offline for longer is worth an alert (spec.md part 6, session.alert). */
const ALERT_AFTER_MS = 300_000;

/** What the saves of one device mean to those who listen: noted in the same write, then told, and told again after a crash until it is. */
export class Diary {
  readonly #ports: DiaryPorts;
  readonly #owner: Owner;
  /** As the last save decided. */
  #status: SessionStatus;
  /** Noted, but in the store not for certain. */
  #unsaved: readonly Happening[] = [];
  /** In the store, and perhaps not told. */
  #untold: boolean;

  constructor(ports: DiaryPorts, owner: Owner, { status, untold }: { readonly status: SessionStatus; readonly untold: boolean }) {
    this.#ports = ports;
    this.#owner = owner;
    this.#status = status;
    this.#untold = untold;
  }

  /** What this patch means, in the order in which patches are decided; the patch with what follows for the alert. */
  note(patch: DevicePatch): Noted {
    const happening = happeningOf(this.#status, patch, this.#ports.clock.now());
    this.#status = patch.status ?? this.#status;
    return happening ? { patch: { ...patch, ...alertOf(happening) }, happening } : { patch, happening };
  }

  /** Its patch is being written: gives what has to go into the same write. */
  add(happening: Happening | null): readonly Happening[] {
    if (happening) this.#unsaved = [...this.#unsaved, happening];
    return this.#unsaved;
  }

  /** These are in the store now. */
  saved(happenings: readonly Happening[]): void {
    this.#untold ||= happenings.length > 0;
    this.#unsaved = this.#unsaved.slice(happenings.length);
  }

  /** Tells what is stored and untold. No save may run meanwhile. */
  async settle(): Promise<void> {
    if (!this.#untold) return;
    const { devices, tell } = this.#ports;
    const { tenantId, sessionId, epoch } = this.#owner;
    await tell(this.#owner, await devices.untold(tenantId, sessionId));
    await devices.told(tenantId, sessionId, epoch);
    this.#untold = false;
  }
}

/** What a change of a device's row means, given the status that it had. */
function happeningOf(before: SessionStatus, patch: DevicePatch, at: number): Happening | null {
  if (patch.restriction !== undefined) return { type: 'restricted', at, restriction: patch.restriction };
  const { pairing } = patch;
  if (pairing?.step === 'passkey' || pairing?.step === 'passkey_confirm') return { type: 'passkey', at, step: pairing.step };
  if (patch.qr) return { type: 'qr', at, qr: patch.qr.code, expires_at: patch.qr.expires_at };
  if (patch.status === undefined || patch.status === before) return null;
  if (patch.status === 'connected')
    return { type: 'connected', at, phone_number: patch.phone_number ?? null, wa_name: patch.wa_name ?? null };
  return before === 'connected' ? { type: 'disconnected', at, reason: reasonOf(patch) } : null;
}

/** spec.md knows three kinds of reason: going offline as wished is the socket's 1000, being replaced its 440. */
function reasonOf({ reason }: DevicePatch): string {
  if (!reason) return 'status_1000';
  return reason === 'replaced' ? 'status_440' : reason;
}

function alertOf({ type, at }: Happening): DevicePatch {
  if (type !== 'connected' && type !== 'disconnected') return {};
  return type === 'connected' ? { offline_since: null, alert_at: null } : { offline_since: at, alert_at: at + ALERT_AFTER_MS };
}
