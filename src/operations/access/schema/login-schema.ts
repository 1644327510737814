import {
  deviceLoginSchema,
  devicePollSchema,
  deviceTokenSchema,
  newDeviceLoginSchema,
} from "../../../access/device/device-schema.ts";

export const begin = { body: newDeviceLoginSchema, output: deviceLoginSchema };

export const poll = { body: devicePollSchema, output: deviceTokenSchema };
