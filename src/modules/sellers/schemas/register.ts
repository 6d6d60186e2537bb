/** What the Australian Business Register says, as answers show it. */
import Type, { type Static } from 'typebox';
import { Instant, Nullable, StringEnum } from '../../../kernel/schema.ts';
import { shown } from './fields.ts';

const day = (description: string) => Nullable(Type.String({ format: 'date', description }));

export const AbnStatus = StringEnum(['active', 'cancelled'], {
  title: 'AbnStatus',
  description: 'State of the ABN in the register; null: not known',
});

export const Register = Type.Object(
  {
    status: StringEnum(['found', 'not_found', 'not_checked', 'unavailable'], {
      description: '`not_checked` and `unavailable` say nothing about the number',
    }),
    entity_name: shown('Legal name'),
    entity_type: shown('Kind of entity'),
    entity_type_code: shown('Kind of entity, the register’s code'),
    business_names: Type.Array(Type.String(), { description: 'Business names of the register' }),
    abn_status: Nullable(AbnStatus),
    effective_from: day('Since when the status holds'),
    gst_registered: Nullable(Type.Boolean({ description: 'null: not known' })),
    gst_from: day('Since when registered for GST'),
    acn: shown('Company number in the register'),
    state: shown('State of the main business location'),
    postcode: shown('Postcode of the main business location'),
    replaced_by: shown('The register answers with this number instead'),
    checked_at: Nullable(Instant({ description: 'When the register was asked; answers are kept for a day' })),
    source: shown('The register that was asked'),
  },
  { title: 'RegisterAnswer', description: 'What the Australian Business Register says.' },
);
export type RegisterView = Static<typeof Register>;

export const REGISTER_EXAMPLE: RegisterView = {
  status: 'found',
  entity_name: 'AUSTRALIAN TAXATION OFFICE',
  entity_type: 'Commonwealth Government Entity',
  entity_type_code: 'CGE',
  business_names: [],
  abn_status: 'active',
  effective_from: '1999-11-01',
  gst_registered: true,
  gst_from: '2000-07-01',
  acn: null,
  state: 'NSW',
  postcode: '2640',
  replaced_by: null,
  checked_at: '2026-06-28T01:00:00.000Z',
  source: 'abr',
};

export const NameMatchSchema = Type.Object(
  {
    score: Type.Integer({ minimum: 0, maximum: 100, description: 'How alike the names are: 100 is equal' }),
    business_name: Type.String({ description: 'Name of the seller' }),
    register_name: Type.String({ description: 'The most similar name in the register' }),
  },
  { title: 'NameMatch', description: 'How well the seller’s name fits the register.' },
);
export const NAME_MATCH_EXAMPLE: Static<typeof NameMatchSchema> = {
  score: 100,
  business_name: 'Australian Taxation Office',
  register_name: 'AUSTRALIAN TAXATION OFFICE',
};
