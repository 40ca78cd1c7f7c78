import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import type { Load } from '../../api/resource.ts';
import type { ChosenTemplate } from '../official/campaign-template.tsx';

export const AUDIENCES = ['all', 'tags', 'segment', 'paste', 'file'] as const;
/** `kept`: the listed recipients of a draft that is edited. */
export type Audience = (typeof AUDIENCES)[number] | 'kept';

export interface Media {
  readonly key: string;
  readonly type: 'image' | 'video' | 'audio' | 'document';
  /** Null if the file was chosen earlier. */
  readonly name: string | null;
  /** Bytes. */
  readonly size: number | null;
}

export interface Draft {
  readonly name: string;
  readonly sessionId: string;
  readonly audience: Audience;
  /** Pasted list or file: one `number,name` per line. */
  readonly lines: string;
  readonly segmentId: string;
  readonly tags: readonly string[];
  /** Contacts with any of these tags are left out. */
  readonly without: readonly string[];
  /** Leaves out people whom the business wrote to within this many hours; null: no limit. */
  readonly quietHours: number | null;
  readonly body: string;
  readonly media: Media | null;
  /** Sent instead of the text; only for official numbers. */
  readonly template: ChosenTemplate | null;
  /** Start in epoch ms; null to start immediately. */
  readonly at: number | null;
}

export interface Choices {
  readonly devices: readonly Schemas['Session'][];
  readonly segments: readonly Schemas['Segment'][];
  readonly tags: readonly Schemas['Tag'][];
  /** Text templates; not those of the official platform. */
  readonly templates: readonly Schemas['Template'][];
  /** Approved templates of the official platform. */
  readonly official: readonly Schemas['Template'][];
  readonly attributes: readonly string[];
  /** The draft that is edited; null for a new campaign. */
  readonly edited: Schemas['BlastCampaign'] | null;
}

export const STEPS = ['who', 'what', 'when', 'attest'] as const;
export type StepName = (typeof STEPS)[number];

export interface StepProps {
  readonly draft: Draft;
  readonly choices: Choices;
  readonly preview: Load<Schemas['BlastPreview'] | null>;
  readonly onDraft: (patch: Partial<Draft>) => void;
}

/**
 * Returns the number of people who get the message; null while unknown. For a list that stays
 * unchanged, the number is known.
 */
export const countOf = (props: StepProps): number | null =>
  props.draft.audience === 'kept' ? (props.choices.edited?.total_recipients ?? null) : (previewIn(props)?.recipients ?? null);

/** Returns the approved templates of the chosen device's account; null if the device is a linked phone. */
export function officialTemplates({ draft, choices }: Pick<StepProps, 'draft' | 'choices'>): Choices['official'] | null {
  const accountOf = (id: string): string | undefined => choices.devices.find((one) => one.id === id)?.official?.waba_id;
  const account = accountOf(draft.sessionId);
  if (account === undefined) return null;
  return choices.official.filter(({ official }) => official && accountOf(official.session_id) === account);
}

/** Returns the loaded preview; null while loading. */
export const previewIn = ({ preview }: StepProps): Schemas['BlastPreview'] | null => (preview.state === 'loaded' ? preview.data : null);
