import type { Eraser } from '../../../kernel/eraser.ts';
import { eraseBuyerIn } from '../store/ratings.ts';

/** Stars stay; the text of feedback and the pseudonym go. */
export const reviewEraser: Eraser = {
  columns: ['feedback.text'],
  erase: (ctx, erasing) => eraseBuyerIn(ctx, erasing, ctx.at()),
};
