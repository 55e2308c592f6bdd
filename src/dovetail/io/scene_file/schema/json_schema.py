"""The JSON Schema of scene files, for editors."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from dovetail.io.scene_file.schema.scene import registered_document


class _WithoutNull(GenerateJsonSchema):
    """An optional key is left out, never null: so the schema names only the value's own type."""

    def nullable_schema(self, schema: core_schema.NullableSchema) -> JsonSchemaValue:
        return self.generate_inner(schema["schema"])

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        if schema.get("default", ...) is None:
            return self.generate_inner(schema["schema"])
        return super().default_schema(schema)


def json_schema() -> dict[str, Any]:
    """JSON Schema (2020-12) of a scene document, version 1."""
    schema = registered_document().model_json_schema(schema_generator=_WithoutNull)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "dovetail scene, version 1",
        **{key: value for key, value in schema.items() if key != "title"},
    }
