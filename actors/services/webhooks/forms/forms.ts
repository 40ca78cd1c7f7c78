import type { OtherGateway } from '../../../domain/other-gateways.ts';
import { evolutionForm } from './evolution.ts';
import type { Form } from './form.ts';

/** The forms in which a webhook can ask for events, besides ours. */
export const FORMS: Readonly<Record<OtherGateway, Form>> = { evolution: evolutionForm };
