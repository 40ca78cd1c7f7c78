import { Refusal } from '../../../../runtime/errors.ts';
import type { BusinessQuestions } from '../../business.ts';
import type { Answers } from '../../questions.ts';
import type { ConnectionContext } from '../session/connection-context.ts';
import { changeBusiness, ownBusiness } from './business-profile.ts';

/** The network still takes these questions from linked devices, and answers none of them. */
export const NO_CATALOG = {
  en: 'the network no longer answers questions about catalogues from linked devices',
  id: 'jaringan tidak lagi menjawab pertanyaan tentang katalog dari perangkat tertaut',
};

/** Nothing is asked, because nothing would be answered; the library would tell of an empty catalogue. */
const unanswered = (): never => {
  throw new Refusal('DEVICE_TIMEOUT', { reason: NO_CATALOG });
};

/** What a business shows. */
export const businessAnswers: Answers<ConnectionContext, BusinessQuestions> = {
  'business.get': ownBusiness,
  'business.set': changeBusiness,
  'catalog.list': unanswered,
  'catalog.collections': unanswered,
  'catalog.create': unanswered,
  'catalog.update': unanswered,
  'catalog.delete': unanswered,
};
