import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import type { Schemas } from '../../../../openapi/client/gateway.generated.ts';
import { call } from '../../api/client.ts';
import type { Resource } from '../../api/resource.ts';
import { useAct } from '../../ui/act.ts';
import { AsCode } from '../../ui/as-code.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { EditableRow } from '../../ui/editable-row.tsx';
import { Field } from '../../ui/field.tsx';
import { Listing } from '../../ui/listing.tsx';
import { Opener } from '../../ui/opener.tsx';
import { Loaded } from '../../ui/states.tsx';
import { words } from './words.ts';

type SavedAnswer = Schemas['SavedAnswer'];

export function SavedAnswers({ answers }: { readonly answers: Resource<Schemas['ListSavedAnswersResponse']> }): JSX.Element {
  const t = words();
  return (
    <section class="stack" aria-label={t.answers}>
      <div class="row apart">
        <h2>{t.answers}</h2>
        <Opener label={t.addAnswer} look="button slim">
          {(isOpen, close) => <AnswerForm saved={null} isOpen={isOpen} onClose={close} onSaved={answers.reload} />}
        </Opener>
      </div>
      <Loaded of={answers}>
        {({ answers: list }) => (
          <Listing of={list} empty={<p class="soft">{t.noAnswers}</p>}>
            {(one) => <Row key={one.id} saved={one} onChange={answers.reload} />}
          </Listing>
        )}
      </Loaded>
    </section>
  );
}

function Row({ saved, onChange }: { readonly saved: SavedAnswer; readonly onChange: () => void }): JSX.Element {
  const t = words();
  const { id, question, answer, updated_at } = saved;
  const removing = useAct();
  return (
    <EditableRow
      edit={{
        label: t.editOf(question),
        form: (isOpen, close) => <AnswerForm key={updated_at} saved={saved} isOpen={isOpen} onClose={close} onSaved={onChange} />,
      }}
      remove={{ label: t.removeOf(question), ask: t.removeAsk, run: () => call('deleteSavedAnswer', { params: { id } }) }}
      act={removing}
      onChange={onChange}
    >
      <div class="grow">
        <strong class="breaks">{question}</strong>
        <p class="soft small breaks">{answer}</p>
      </div>
    </EditableRow>
  );
}

interface AnswerFormProps {
  readonly saved: SavedAnswer | null;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}

function AnswerForm({ saved, isOpen, onClose, onSaved }: AnswerFormProps): JSX.Element {
  const t = words();
  const [question, answer] = [useSignal(saved?.question ?? ''), useSignal(saved?.answer ?? '')];
  const body = { question: question.value, answer: answer.value };
  const save = async (): Promise<void> => {
    if (saved) await call('changeSavedAnswer', { params: { id: saved.id }, body });
    else {
      await call('createSavedAnswer', { body });
      question.value = '';
      answer.value = '';
    }
    onClose();
    onSaved();
  };
  return (
    <FormDialog
      title={saved ? t.editOf(saved.question) : t.addAnswer}
      isOpen={isOpen}
      onClose={onClose}
      save={save}
      code={<AsCode operation="createSavedAnswer" input={{ body }} />}
    >
      <Field label={t.question} required autocomplete="off" value={question.value} onValue={(text) => (question.value = text)} />
      <Field label={t.answer} required lines={4} value={answer.value} onValue={(text) => (answer.value = text)} />
    </FormDialog>
  );
}
