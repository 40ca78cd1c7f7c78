import type { JSX } from 'preact';
import type { Schemas } from '../../../openapi/client/gateway.generated.ts';
import { common } from '../words/common.ts';
import { offlineBadge } from '../words/offline-reasons.ts';

type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'info' | 'accent';

interface BadgeProps {
  readonly tone: Tone;
  readonly text: string;
  readonly isLive?: boolean;
}

export const Badge = ({ tone, text, isLive = false }: BadgeProps): JSX.Element => (
  <span class={isLive ? `badge ${tone} pulse` : `badge ${tone}`}>{text}</span>
);

type Status = Schemas['Session']['status'];

const TONES: Readonly<Record<Status, Tone>> = { pending: 'calm', qr_ready: 'calm', connected: 'good', disconnected: 'warn', failed: 'bad' };

export function DeviceBadge({ status, reason = null }: { readonly status: Status; readonly reason?: string | null }): JSX.Element {
  const refused = offlineBadge(reason);
  return refused === null ? <Badge tone={TONES[status]} text={common().status[status]} /> : <Badge tone="bad" text={refused} />;
}
