import type { Line, LineEvent, Network, OpenOrder } from '../port.ts';
import { CLOSED } from '../port.ts';
import { type Ground, groundOf, type SandboxOptions } from './ground.ts';
import { Inboxes } from './inboxes.ts';
import type { Journal } from './journal.ts';
import type { SandboxLine } from './line.ts';
import { Post } from './post.ts';
import type { Deed, DeedDraft, Draft, FaultOrder, Letter, Marks, PhoneSettings, Shown, ShownPresence } from './protocol.ts';
import { Switchboard } from './switchboard.ts';
import { makeTrouble } from './trouble.ts';

/** A phone network of its own. Deterministic for a given clock and chance. */
export interface Sandbox {
  readonly journal: Journal;
  /** A driver for gateways in this process. Any number of them share the one network. */
  network(): Network;
  /** The phone with this number; it exists as soon as it is named. Refuses VALIDATION_FAILED when `digits` are no number. */
  phone(digits: string): PhoneHandle;
  device(digits: string): DeviceHandle;
  /** Puts these numbers in a new group and answers its address. */
  createGroup(members: readonly string[]): string;
}

/** What a person can do with a phone. */
export interface PhoneHandle {
  settings(): PhoneSettings;
  /** What it has received, newest first. */
  messages(limit?: number): readonly Letter[];
  /** Refuses NOT_FOUND when no device is linked to that number, nor to its own, or the phone is in no such group. */
  write(draft: Draft): Letter;
  /** Reacts to, edits, deletes a message, or votes. Whether it may is the hearer's to check. Refuses as `write` does. */
  do(draft: DeedDraft): Deed;
  /** Calls the devices of a number, which cannot answer. Refuses as `write` does. */
  call(order: { readonly to: string; readonly video?: boolean }): { readonly id: string; readonly at: number };
  /** Reads a chat: what others wrote there is read, and the devices of its number hear of it. Refuses as `write` does. */
  look(to: string): { readonly id: string; readonly at: number };
  /** What was done to a message that it shows, or wrote. */
  marks(netId: string): Marks;
  /** Reactions of others, newest first. */
  reactions(limit?: number): readonly Deed[];
  /** Who writes, or wrote last, in its chats. */
  presences(): readonly ShownPresence[];
  /** Links the device that shows this. Refuses NOT_FOUND, or CONFLICT when the code has expired or the phone cannot link. */
  scan(shown: Shown): void;
  /**
   * An offline phone gets its messages when it is online again; one that does not read sends no read receipts. Devices that were written to from
   * a hidden address hear whose it is when `tellsNumber` becomes true.
   */
  set(changes: Partial<PhoneSettings>): void;
}

export interface DeviceHandle {
  /** Refuses NOT_FOUND when no device is linked to the number. */
  fault(order: FaultOrder): void;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const ground = groundOf(options);
  const inboxes = new Inboxes(ground);
  const post = new Post(ground, inboxes);
  const switchboard = new Switchboard(ground, inboxes, post);
  return {
    journal: ground.journal,
    network: () => networkOf(switchboard),
    phone: (digits) => phoneHandle(ground, post, switchboard, digits),
    device: (digits) => ({ fault: (order) => makeTrouble(ground, switchboard, digits, order) }),
    createGroup: (members) => ground.groups.create(members),
  };
}

function phoneHandle(ground: Ground, post: Post, switchboard: Switchboard, digits: string): PhoneHandle {
  const phone = ground.phones.named(digits);
  return {
    settings: () => phone.settings(),
    messages: (limit = 50) => phone.messages(limit),
    write: (draft) => post.write(phone, draft),
    do: (draft) => post.do(phone, draft),
    call: ({ to, video = false }) => post.call(phone, to, video),
    look: (to) => post.look(phone, to),
    marks: (netId) => phone.marks(netId),
    reactions: (limit = 50) => phone.reactions(limit),
    presences: () => phone.presences(),
    scan: (shown) => switchboard.scan(phone, shown),
    set(changes) {
      const wasHidden = !phone.tellsNumber;
      phone.set(changes);
      if (phone.online) post.backOnline(phone);
      if (wasHidden && phone.tellsNumber) post.tellNumber(phone);
    },
  };
}

function networkOf(switchboard: Switchboard): Network {
  const lines = new Set<SandboxLine>();
  return {
    name: 'sandbox',
    open(order: OpenOrder, hear: (event: LineEvent) => void): Line {
      const line = switchboard.open(order, (event) => {
        if (event.type === 'closed') lines.delete(line);
        hear(event);
      });
      lines.add(line);
      return line;
    },
    async shutdown() {
      for (const line of lines) line.end(CLOSED.normally);
    },
  };
}
