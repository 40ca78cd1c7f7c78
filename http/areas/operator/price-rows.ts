import Joi from 'joi';
import type { OfficialPrices, Price, PriceTableRow } from '../../../store/billing/official-prices.ts';
import { type Area, rowsFor } from '../../core/row.ts';
import { Timestamp } from '../../core/schemas.ts';

export interface PriceServices {
  readonly officialPrices: Pick<OfficialPrices, 'put' | 'list'>;
}

const MAX_TABLES = 20;
const MAX_ROWS = 2_000;

const row = rowsFor<PriceServices>();
type Table = Omit<PriceTableRow, '_id'>;

const Currency = Joi.string()
  .pattern(/^[A-Z]{3}$/)
  .example('USD');

const PriceSchema = Joi.object<Price>({
  country: Joi.string()
    .pattern(/^[A-Z]{2}$/)
    .required()
    .example('ID'),
  category: Joi.string()
    .pattern(/^[a-z_]{1,40}$/)
    .required()
    .description("The vendor's term in lower case: `marketing`, `utility`, `authentication`, `service`, …")
    .example('marketing'),
  amount: Joi.number()
    .min(0)
    .max(1_000_000)
    .required()
    .description('Price of one message in the main unit of the currency')
    .example(0.0411),
}).meta({ title: 'OfficialPrice' });

const fields = {
  currency: Currency.required(),
  effective_from: Timestamp.required().description('The date from which the table replaces the earlier one of its currency'),
  rows: Joi.array().items(PriceSchema).max(MAX_ROWS).required(),
};
const TableSchema = Joi.object<Table>(fields).meta({ title: 'OfficialPriceTable' });

export const priceArea: Area<PriceServices> = {
  name: 'prices of the official platform',
  about: "The vendor's price tables, used to calculate the costs of messages and campaigns",
  rows: [
    row({
      id: 'getAdminPrices',
      method: 'GET',
      path: '/v1/admin/prices',
      summary: 'List price tables',
      about: `Get the newest ${MAX_TABLES} tables, newest first`,
      access: 'operator',
      query: Joi.object<{ limit: number }>({ limit: Joi.number().integer().min(1).max(MAX_TABLES).default(MAX_TABLES) }),
      status: 200,
      returns: Joi.object({ tables: Joi.array().items(TableSchema).required() }),
      run: async ({ officialPrices }, { query }) => ({ tables: (await officialPrices.list(query.limit)).map(shown) }),
    }),
    row({
      id: 'putAdminPrices',
      method: 'PUT',
      path: '/v1/admin/prices',
      summary: 'Import a price table',
      about: 'Store the prices of one currency from a given date. A table with the same currency and date is replaced',
      audit: { action: 'prices.import' },
      access: 'operator',
      body: Joi.object<Table>(fields),
      status: 200,
      returns: TableSchema,
      async run({ officialPrices }, { body: { currency, effective_from, rows } }) {
        const table = { currency, effective_from, rows };
        await officialPrices.put(table);
        return table;
      },
    }),
  ],
};

const shown = ({ currency, effective_from, rows }: PriceTableRow): Table => ({ currency, effective_from, rows });
