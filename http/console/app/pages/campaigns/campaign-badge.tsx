import type { JSX } from 'preact';
import { Badge } from '../../ui/badge.tsx';
import { type Campaign, isPlanned } from './facts.ts';
import { words } from './words.ts';

const TONES = { draft: 'calm', running: 'accent', paused: 'warn', completed: 'good', failed: 'bad', cancelled: 'bad' } as const;

export function CampaignBadge({ campaign }: { readonly campaign: Campaign }): JSX.Element {
  const t = words();
  const { status } = campaign;
  if (isPlanned(campaign)) return <Badge tone="info" text={t.scheduled} />;
  return <Badge tone={TONES[status]} text={t.statuses[status]} isLive={status === 'running'} />;
}
