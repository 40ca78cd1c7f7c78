import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Listing } from '../../ui/listing.tsx';
import { useNews } from '../../ui/news.ts';
import { Opener } from '../../ui/opener.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { NewTemplate } from '../official/new-template.tsx';
import { TemplateBadge, TemplateFacts } from '../official/template-state.tsx';
import { words as officialWords } from '../official/words.ts';
import { TemplateForm } from './template-form.tsx';
import { TryTemplate } from './try-template.tsx';
import { words } from './words.ts';

type Template = Schemas['Template'];

export function TemplatesPage(): JSX.Element {
  const t = words();
  const templates = useResource('templates', (signal) => call('listTemplates', {}, { signal }));
  useNews(templates, ({ type }) => type === 'template.updated');
  const sessions = useResource('official numbers', (signal) => call('listSessions', {}, { signal })).load.value;
  const official = sessions.state === 'loaded' ? sessions.data.sessions.filter(({ driver }) => driver === 'official') : [];
  const add = (
    <>
      <Opener label={t.add}>
        {(isOpen, close) => <TemplateForm template={null} isOpen={isOpen} onClose={close} onSaved={templates.reload} />}
      </Opener>
      {official.length > 0 && (
        <Opener label={officialWords().newTemplate} look="button" testId="new-official-template">
          {(isOpen, close) => <NewTemplate devices={official} isOpen={isOpen} onClose={close} onSaved={templates.reload} />}
        </Opener>
      )}
    </>
  );
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <Loaded of={templates}>
        {({ templates: list }) => (
          <Listing of={list} empty={<Empty title={t.none} about={t.noneAbout} />}>
            {(template) => <Row key={template.id} template={template} onChange={templates.reload} />}
          </Listing>
        )}
      </Loaded>
    </Page>
  );
}

function Row({ template, onChange }: { readonly template: Template; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, body, caption, message_type, official } = template;
  const removing = useAct();
  const edit = {
    label: t.edit(name),
    form: (isOpen: boolean, close: () => void) => <TemplateForm template={template} isOpen={isOpen} onClose={close} onSaved={onChange} />,
  };
  return (
    <EditableRow
      below={official ? <TemplateFacts official={official} body={body ?? caption} /> : <TryTemplate id={id} />}
      edit={message_type === 'text' && !official ? edit : undefined}
      remove={{ label: t.remove(name), ask: t.removeAsk, run: () => call('deleteTemplate', { params: { id } }) }}
      act={removing}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{name}</strong>
        <p class="soft small breaks">{body ?? caption ?? message_type}</p>
      </div>
      {official && <TemplateBadge official={official} />}
    </EditableRow>
  );
}
