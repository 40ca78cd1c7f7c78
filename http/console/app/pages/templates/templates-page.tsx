import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../../scripts/examples/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, Failure, Loaded } from '../../ui/states.tsx';
import { common } from '../../words/common.ts';
import { TemplateForm } from './template-form.tsx';
import { TryTemplate } from './try-template.tsx';
import { words } from './words.ts';

type Template = Schemas['Template'];

export function TemplatesPage(): JSX.Element {
  const t = words();
  const templates = useResource('templates', (signal) => call('listTemplates', {}, { signal }));
  const isAdding = useSignal(false);
  const add = (
    <button type="button" class="button first" aria-haspopup="dialog" onClick={() => (isAdding.value = true)}>
      {t.add}
    </button>
  );
  return (
    <Page title={t.title} about={t.about} actions={add}>
      <Loaded of={templates}>
        {({ templates: list }) =>
          list.length === 0 ? (
            <Empty title={t.none} about={t.noneAbout} />
          ) : (
            <ul class="list">
              {list.map((template) => (
                <Row key={template.id} template={template} onChange={templates.reload} />
              ))}
            </ul>
          )
        }
      </Loaded>
      <TemplateForm template={null} isOpen={isAdding.value} onClose={() => (isAdding.value = false)} onSaved={templates.reload} />
    </Page>
  );
}

function Row({ template, onChange }: { readonly template: Template; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, name, body, caption, message_type } = template;
  const open = useSignal<'edit' | 'remove' | null>(null);
  const removing = useAct();
  const close = (): void => {
    open.value = null;
  };
  const remove = (): Promise<void> =>
    removing.run(async () => {
      await call('deleteTemplate', { params: { id } }).finally(close);
      onChange();
    });
  return (
    <li>
      <div class="line">
        <div class="grow">
          <strong class="breaks">{name}</strong>
          <p class="soft small breaks">{body ?? caption ?? message_type}</p>
        </div>
        {message_type === 'text' && (
          <button type="button" class="button slim" aria-haspopup="dialog" aria-label={t.edit(name)} onClick={() => (open.value = 'edit')}>
            {common().edit}
          </button>
        )}
        <button
          type="button"
          class="button slim"
          aria-haspopup="dialog"
          aria-label={t.remove(name)}
          onClick={() => (open.value = 'remove')}
        >
          {common().remove}
        </button>
      </div>
      <TryTemplate id={id} />
      {removing.error.value && <Failure error={removing.error.value} />}
      <TemplateForm key={template.updated_at} template={template} isOpen={open.value === 'edit'} onClose={close} onSaved={onChange} />
      <Confirm
        title={t.remove(name)}
        verb={common().remove}
        isDangerous
        isOpen={open.value === 'remove'}
        isBusy={removing.isBusy.value}
        onClose={close}
        onConfirm={remove}
      >
        <p>{t.removeAsk}</p>
      </Confirm>
    </li>
  );
}
