import type { JSX } from 'preact';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { Page } from '../../ui/page.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Ask } from './ask.tsx';
import { Documents } from './documents.tsx';
import { SavedAnswers } from './saved-answers.tsx';
import { Settings } from './settings.tsx';
import { Unanswered } from './unanswered.tsx';
import { words } from './words.ts';

export function AiPage(): JSX.Element {
  const t = words();
  const settings = useResource('ai', (signal) => call('getAiReply', {}, { signal }));
  const answers = useResource('answers', (signal) => call('listSavedAnswers', { query: { limit: 100 } }, { signal }));
  return (
    <Page title={t.title} about={t.about}>
      <div class="stack">
        <Loaded of={settings}>{(data) => <Settings ai={data} />}</Loaded>
        <Ask />
        <Unanswered onAnswered={answers.reload} />
        <SavedAnswers answers={answers} />
        <Documents />
      </div>
    </Page>
  );
}
