/** What every route with labels shares. */
import Type from 'typebox';
import { StringEnum } from '../../../kernel/schema.ts';
import { LABEL_STATUSES } from '../domain/label.ts';

const PACKAGES_MAX = 50;

export const LabelStatus = StringEnum(LABEL_STATUSES, {
  title: 'LabelStatus',
  description: 'Whether the label can be used',
});

export const PaperSize = StringEnum(['a6', 'a4'], {
  title: 'LabelSize',
  description: 'Paper size: `a6` (default) has a label a page, `a4` four. ZPL labels are always A6',
});

export const LabelPrintQuery = Type.Object({
  format: Type.Optional(
    StringEnum(['pdf', 'png', 'zpl'], { default: 'pdf', description: 'File format of the label' }),
  ),
  size: Type.Optional(PaperSize),
  package: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PACKAGES_MAX,
      description:
        'Number of the package, from 1. Without it, the file has the labels of all packages; a PNG shows its first page',
    }),
  ),
});

export const LABEL_CONTENT_TYPES = ['application/pdf', 'image/png', 'application/zpl'];
