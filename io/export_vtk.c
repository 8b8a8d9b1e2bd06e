/* VTK: XML PolyData with one vertex cell a particle. The arrays follow the XML as raw bytes, each after its
 * length in bytes. */
#include "io/export_frame.h"

/* What one particle adds to an array: writes the bytes of row `i`. */
typedef void put_row(unsigned char *bytes, const export_row *row, size_t i);

static void put_id(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    export_put_u64(bytes, row->id);
}

static void put_velocity(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    for (int axis = 0; axis < 3; axis++)
        export_put_float(bytes + 4 * axis, row->velocity[axis]);
}

static void put_mass(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    export_put_float(bytes, row->mass);
}

static void put_radius(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    export_put_float(bytes, row->radius);
}

static void put_phase(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    export_put_u32(bytes, row->phase);
}

static void put_material(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    export_put_u32(bytes, row->material);
}

static void put_position(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)i;
    for (int axis = 0; axis < 3; axis++)
        export_put_float(bytes + 4 * axis, row->position[axis]);
}

/* Cell i has the one point i ... */
static void put_connectivity(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)row;
    export_put_u64(bytes, i);
}

/* ... and ends after i + 1 points. */
static void put_cell_end(unsigned char *bytes, const export_row *row, size_t i)
{
    (void)row;
    export_put_u64(bytes, i + 1);
}

typedef struct vtk_array {
    const char *open;  /* elements that begin before it, NULL: none */
    const char *close; /* and that end after it */
    const char *type, *name;
    uint32_t components, bytes; /* bytes: of one particle */
    put_row *put;
} vtk_array;

#define MAX_BYTES 12

static const vtk_array columns[] = {
    {"<PointData Vectors=\"velocity\">", NULL, "Int64", "id", 1, 8, put_id},
    {NULL, NULL, "Float32", "velocity", 3, 12, put_velocity},
    {NULL, NULL, "Float32", "mass", 1, 4, put_mass},
    {NULL, NULL, "Float32", "radius", 1, 4, put_radius},
    {NULL, NULL, "UInt32", "phase", 1, 4, put_phase},
    {NULL, NULL, "UInt32", "material", 1, 4, put_material},
};

/* Attributes (mote/attribute.h) come between the two. */
static const vtk_array cells[] = {
    {"</PointData>\n<Points>", "</Points>", "Float32", "Points", 3, 12, put_position},
    {"<Verts>", NULL, "Int64", "connectivity", 1, 8, put_connectivity},
    {NULL, "</Verts>", "Int64", "offsets", 1, 8, put_cell_end},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

/* Where the bytes of the next array begin, once this one is described. */
static uint64_t describe(safe_file *file, const vtk_array *array, size_t count, uint64_t offset)
{
    if (array->open != NULL)
        export_print(file, "%s\n", array->open);
    export_print(file,
                 "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%u\" format=\"appended\" "
                 "offset=\"%llu\"/>\n",
                 array->type, array->name, array->components, (unsigned long long)offset);
    if (array->close != NULL)
        export_print(file, "%s\n", array->close);
    return offset + 8 + (uint64_t)count * array->bytes;
}

static vtk_array array_of_attribute(uint32_t attribute)
{
    const mote_attribute_info *info = mote_attribute_info_of(attribute);
    return (vtk_array){NULL, NULL, "Float32", info->name, info->components, 4 * info->components, NULL};
}

static void write_xml(const export_frame *frame, safe_file *file)
{
    export_print(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<PolyData>\n");
    export_print(file,
                 "<FieldData><DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                 "format=\"ascii\">%.17g</DataArray></FieldData>\n",
                 frame->time);
    export_print(file, "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" ", frame->count,
                 frame->count);
    export_print(file, "NumberOfStrips=\"0\" NumberOfPolys=\"0\">\n");
    uint64_t offset = 0;
    for (size_t a = 0; a < COUNT_OF(columns); a++)
        offset = describe(file, &columns[a], frame->count, offset);
    for (uint32_t k = 0; k < mote_attribute_count(); k++) {
        vtk_array array = array_of_attribute(k);
        offset = describe(file, &array, frame->count, offset);
    }
    for (size_t a = 0; a < COUNT_OF(cells); a++)
        offset = describe(file, &cells[a], frame->count, offset);
    export_print(file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

static void put_length(safe_file *file, uint64_t length)
{
    unsigned char bytes[8];
    export_put_u64(bytes, length);
    safe_file_append(file, bytes, sizeof bytes);
}

static void write_array(const export_frame *frame, const vtk_array *array, safe_file *file)
{
    unsigned char bytes[MAX_BYTES];
    put_length(file, (uint64_t)frame->count * array->bytes);
    for (size_t i = 0; i < frame->count; i++) {
        export_row row = export_frame_row(frame, i);
        array->put(bytes, &row, i);
        safe_file_append(file, bytes, array->bytes);
    }
}

static void write_attribute(const export_frame *frame, uint32_t attribute, safe_file *file)
{
    uint32_t components = mote_attribute_info_of(attribute)->components;
    put_length(file, 4 * (uint64_t)frame->count * components);
    for (size_t i = 0; i < frame->count; i++)
        for (uint32_t n = 0; n < components; n++) {
            unsigned char bytes[4];
            export_put_float(bytes, export_frame_attribute(frame, attribute, i)[n]);
            safe_file_append(file, bytes, sizeof bytes);
        }
}

void export_write_vtk(const export_frame *frame, safe_file *file)
{
    write_xml(frame, file);
    for (size_t a = 0; a < COUNT_OF(columns); a++)
        write_array(frame, &columns[a], file);
    for (uint32_t k = 0; k < mote_attribute_count(); k++)
        write_attribute(frame, k, file);
    for (size_t a = 0; a < COUNT_OF(cells); a++)
        write_array(frame, &cells[a], file);
    export_print(file, "\n</AppendedData>\n</VTKFile>\n");
}
