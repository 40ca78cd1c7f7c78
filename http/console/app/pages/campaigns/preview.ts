import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { type Load, useResource } from '../../api/resource.ts';
import { contentOf } from './content.ts';
import { recipientsIn } from './plan.ts';
import type { Draft } from './steps.ts';

type Body = Schemas['CreateBlastRequest'];

export const audienceOf = ({ audience, segmentId, tags, without, quietHours }: Draft): Partial<Body> => ({
  ...(audience === 'all' && { all_contacts: true }),
  ...(audience === 'segment' && { segment_id: segmentId }),
  ...(audience === 'tags' && { tags: [...tags] }),
  ...(without.length > 0 && { exclude_tags: [...without] }),
  ...(quietHours !== null && { skip_if_messaged_within_hours: quietHours }),
});

export const isListed = ({ audience }: Draft): boolean => audience === 'paste' || audience === 'file';

const STILL_MS = 500;

/** The data is null until a device and an audience have been chosen. */
export function usePreview(draft: Draft): Load<Schemas['BlastPreview'] | null> {
  const asked = useSignal('');
  const body = bodyOf(draft);
  const key = body === null ? '' : JSON.stringify(body);
  useEffect(() => {
    const timer = setTimeout(() => {
      asked.value = key;
    }, STILL_MS);
    return () => clearTimeout(timer);
  }, [key]);
  const found = useResource(asked.value, async (signal) => {
    const now = bodyOf(draft);
    return now === null ? null : call('previewBlast', { body: now }, { signal });
  });
  return asked.value === key ? found.load.value : { state: 'loading' };
}

export const isEmpty = ({ body, media, template }: Pick<Draft, 'body' | 'media' | 'template'>): boolean =>
  body === '' && media === null && template === null;

function bodyOf(draft: Draft): Body | null {
  const recipients = isListed(draft) ? [...recipientsIn(draft.lines)] : null;
  const isChosen = {
    all: true,
    tags: draft.tags.length > 0,
    segment: draft.segmentId !== '',
    paste: recipients !== null && recipients.length > 0,
    file: recipients !== null && recipients.length > 0,
    kept: false,
  }[draft.audience];
  const isFilled = Object.values(draft.template?.variables ?? {}).every((value) => value !== '');
  if (draft.sessionId === '' || !isChosen || !isFilled) return null;
  return {
    session_id: draft.sessionId,
    name: draft.name.trim() || '-',
    ...contentOf(isEmpty(draft) ? { ...draft, body: '-' } : draft),
    ...audienceOf(draft),
    ...(recipients && { recipients }),
    ...(draft.at !== null && { scheduled_at: draft.at }),
  };
}
