import type { ChannelRecord, ChannelRole } from '../../network/channels.ts';

export interface ShownChannel {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly role: ChannelRole;
  readonly muted: boolean;
  readonly followers: number;
  readonly code: string | null;
}

export const toChannel = ({ id, name, description, role, muted, followers, code }: ChannelRecord): ShownChannel => ({
  ...{ id, name, description, role },
  ...{ muted, followers, code },
});
