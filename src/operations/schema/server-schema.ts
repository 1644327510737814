import { statusSchema } from "../../maintenance/status-schema.ts";

export const status = { output: statusSchema };
export const backup = {};
